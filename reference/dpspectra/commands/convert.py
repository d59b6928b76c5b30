"""The command ``convert``: privacy loss in another measure."""

import json

from dpspectra.accounting.measures import convert
from dpspectra.commands.budget_options import ConvertRequest
from dpspectra.report import command_output


def run(request: ConvertRequest) -> int:
    """Print the amount. Raises ``ValueError`` where none follows."""
    renyi = None if request.renyi is None else dict(request.renyi)
    amount = convert(request.to, **(request.keywords(convert) | {"renyi": renyi}))
    command_output.say(request.json, f"{request.to} {amount!r}")
    command_output.put(request.json, lambda: json.dumps({request.to: amount}))
    return 0
