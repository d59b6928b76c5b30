"""Rows once, releases many: exact sums of rows that merge anywhere, and print no number."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from typing import Any, Self

from dpspectra.certified import moments_file
from dpspectra.certified.exact_sums import aligned_bounds, names_taken, summed, summed_file, without
from dpspectra.certified.gram import ExactMoments
from dpspectra.certified.reading_parameters import ORDERS, Parts, Terms, column_names, part_name, people_of, zero
from dpspectra.ground import checks, new_files
from dpspectra.matrices.column_bounds import ColumnBounds
from dpspectra.matrices.kinds import Data
from dpspectra.matrices.reading_rule import REFUSE, Reading
from dpspectra.matrices.row_files import names_in
from dpspectra.matrices.text_lines import Form


class Moments:
    """Exact sums of rows ``x`` and of ``x x'`` on a public grid: rows are read once, for any mechanism on rows.

    ``+``, `sum` and `together` merge them, of parts read on several machines or days: order, tree and chunks change no
    bit. Make them by `of`, `read` or `empty`. All but `terms` is private: there is no number in a ``repr``, and they
    have no attributes for values, no equality by value and no conversion to arrays. A pickle, `to_bytes` and `save`
    are as telling as the rows.

    `terms` says how rows were read, and which sums merge. The number of rows, too, is private unless the relation of a
    release makes it public. Each part has a name, random or given by the caller, and one that is in a sum already is
    refused. Claims of several parts assume that each person has one row in all of them together. Immutable.

    Raises
    ------
    TypeError
        From the constructor, always.

    Examples
    --------
    >>> monday = Moments.of([[0.6, 0.8], [0.0, 0.5]])
    >>> tuesday = Moments.of(iter([[[3.0, 4.0]], [[0.1, 0.2]]]), rows="clip")
    >>> tuesday
    Moments(private, 2 columns, norm_bound=1, rows=clip)
    >>> monday + tuesday
    Traceback (most recent call last):
    ValueError: parts must agree in their terms, got other rows: 'refuse' and 'clip'

    """

    __slots__ = ("_parts", "_sums", "terms")
    terms: Terms
    """Terms of the sums, which are public."""
    _sums: ExactMoments
    _parts: Parts

    def __init__(self) -> None:
        raise TypeError("Moments must be made by Moments.of, read, empty, from_bytes or load")

    @classmethod
    def _made(cls, terms: Terms, sums: ExactMoments, parts: Parts) -> Self:
        new = object.__new__(cls)
        for name, value in (("terms", terms), ("_sums", sums), ("_parts", parts)):
            object.__setattr__(new, name, value)
        return new

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("Moments are immutable")

    @classmethod
    def of(
        cls,
        X: Data,
        *,
        norm_bound: float = 1.0,
        rows: str = REFUSE,
        bad_rows: str = REFUSE,
        bounds: ColumnBounds | None = None,
        columns: Iterable[str] | None = None,
        width: int | None = None,
        order: int = 2,
        part: str | None = None,
        person: str | Sequence[Any] | None = None,
        per_person: int | None = None,
        salt: str = "",
    ) -> Self:
        """Read all rows once.

        Parameters
        ----------
        X
            Rows ``(n, d)``, one a person: an array, a list, a scipy sparse matrix, a table of pandas, polars or Arrow,
            a dask array or frame (lengths of chunks may be unknown), or an iterator over chunks of these. There may be
            no rows.
        norm_bound
            Public bound on the Euclidean norm of a row.
        rows
            What is done with a longer row: ``"refuse"`` it, ``"clip"`` it to the bound, or make all rows ``"unit"``
            rows. A refusal is an answer about the data; claims assume that nobody learns of it.
        bad_rows
            ``"refuse"`` a row in which an entry is no finite number, or take it for ``"zero"``. Each entry is judged by
            itself: a text that is a decimal number is that number.
        bounds
            Public `ColumnBounds` by which rows are mapped first, and then clipped.
        columns
            Public names of the columns, in their order. Of a table these are taken, by default all of them; where they
            depend on the rows, as those of dummy variables do, give them. Data without names get them.
        width
            Number of columns, for an iterator that may be without chunks.
        order
            2 for first and second moments, 1 for first ones only (means of wide rows).
        part
            Name of the part in words of the caller, such as a date: sums with the same name do not merge. By default
            it is random.
        person
            Where people have several rows: ids, one for each row, or the name of the column of a table that holds them.
            ``X`` is then in memory, and has all rows of each person, who must be in no other part. Each counts as
            exactly ``per_person`` rows, missing ones being zero; rows without an id count as nobody's. Sums are over
            people, divisions by their number, and noise hides all rows of a person at once.
        per_person
            Public number of rows of each person that count, if ``person`` is given.
        salt
            Public text that decides, with a person's id and the places of these rows among the person's own, which of
            more rows count.

        Returns
        -------
        Moments
            The sums. Nothing of the size of the data is allocated, unless a table has columns of several types.

        Raises
        ------
        ValueError
            For bad arguments, and for rows that are refused; of these the message has the place only.

        Examples
        --------
        >>> import dpspectra as dps
        >>> moments = dps.Moments.of([[3.0, 4.0], [0.1, float("nan")]], rows="clip", bad_rows="zero")
        >>> moments.terms.width, dps.laplace_covariance(moments, epsilon=1.0).claim.norm_bound
        (2, None)

        """
        most, salted = people_of(person is not None, per_person, salt)
        names, given = column_names(columns), part_name(part)
        aligned, names = aligned_bounds(bounds, names or names_taken(X, person), isinstance(X, Iterator))
        reading = Reading(norm_bound, rows, bad_rows, most, aligned)
        if names and width is None:
            width = len(names)
        start = None if width is None else zero(reading, width, order)
        checks.integer(order, "order", *ORDERS)
        sums, names = summed(X, reading, names, order, start, person, salted)
        return cls._made(Terms.of(reading, sums.width, names, order, salted), sums, Parts.one(given))

    @classmethod
    def read(
        cls,
        path: str | os.PathLike[str],
        *,
        norm_bound: float = 1.0,
        rows: str = REFUSE,
        bad_rows: str = REFUSE,
        bounds: ColumnBounds | None = None,
        columns: Iterable[str] | None = None,
        header: bool | None = None,
        separator: str | None = None,
        encoding: str = "utf-8",
        decimal: str = ".",
        order: int = 2,
        part: str | None = None,
        person: str | Sequence[Any] | None = None,
        per_person: int | None = None,
        salt: str = "",
    ) -> Self:
        """Read the rows of a file once, a batch at a time; never the whole file.

        Parameters
        ----------
        path
            File that ends in ``.csv``, ``.tsv``, these with ``.gz``, ``.parquet``, ``.arrow``, ``.feather`` or
            ``.npy``.
        columns
            Names of the columns to be taken, by default all of them; of text without names their numbers from 1.
        header
            Whether the first line of a text file holds names. By default the line itself must leave no doubt.
        separator, encoding, decimal
            How a text file is written. The separator is by default that of its ending; ``decimal=","`` reads ``1,5``.
        bad_rows
            As for `of`. With ``"zero"`` a record of a text file that has too few or too many fields is a row of zeros,
            too. A record is a line, or more lines where a quoted field holds line ends and is closed as programs close
            it. A quote that stays open ends with its line. The columns must be named then.
        norm_bound, rows, bounds, order, part, per_person, salt
            As for `of`.
        person
            Name of the column of ids if people have several rows. The ids are read first, by themselves, and held.

        Returns
        -------
        Moments
            The sums.

        Raises
        ------
        ValueError
            For other files, and for arguments and rows that `of` refuses.
        OSError
            If the file cannot be read.
        ImportError
            If a parquet or Arrow file needs an extra that is not installed; the message names it.

        """
        most, salted = people_of(person is not None, per_person, salt)
        file, names, name = new_files.path_of(path), column_names(columns), part_name(part)
        form = Form(header, separator, encoding, decimal)
        if isinstance(bounds, ColumnBounds) and bounds.names and names is None:
            names = without(names_in(file, form, total=bad_rows != REFUSE), person)
        reading = Reading(norm_bound, rows, bad_rows, most, aligned_bounds(bounds, names)[0])
        sums, names = summed_file(file, reading, names, form, order, person, salted)
        return cls._made(Terms.of(reading, sums.width, names, order, salted), sums, Parts.one(name))

    @classmethod
    def empty(
        cls,
        width: int,
        *,
        norm_bound: float = 1.0,
        rows: str = REFUSE,
        bad_rows: str = REFUSE,
        bounds: ColumnBounds | None = None,
        columns: Iterable[str] | None = None,
        order: int = 2,
        per_person: int | None = None,
        salt: str = "",
    ) -> Self:
        """Return sums over no rows, to which others with the same terms can be added.

        Parameters
        ----------
        width
            Number of columns.
        norm_bound, rows, bad_rows, bounds, columns, order, per_person, salt
            As for `of`.

        Returns
        -------
        Moments
            The sums, all zero.

        Raises
        ------
        ValueError
            For bad arguments.

        Examples
        --------
        >>> zero = Moments.empty(2, rows="clip")
        >>> sum([Moments.of([[0.6, 0.8]], rows="clip")], zero).terms == zero.terms
        True

        """
        most, salted = people_of(per_person is not None, per_person, salt)
        names = column_names(columns)
        reading = Reading(norm_bound, rows, bad_rows, most, aligned_bounds(bounds, names)[0])
        sums = zero(reading, width, order)
        return cls._made(Terms.of(reading, sums.width, names, order, salted), sums, Parts(frozenset()))

    def with_rows(self, X: Data, *, person: str | Sequence[Any] | None = None, part: str | None = None) -> Self:
        """Return the sums with more rows, which are a part of their own and are read by the same terms.

        Parameters
        ----------
        X
            Rows, as for `of`. Of a table with names the columns of `terms` are taken.
        person
            Ids of people, as for `of`: needed if the sums are over people, and refused otherwise.
        part
            Name of the new part, by default random.

        Returns
        -------
        Moments
            New sums; these stay as they are.

        Raises
        ------
        ValueError
            For arguments and rows that `of` refuses, and for a part that is in the sums already.

        Examples
        --------
        >>> Moments.empty(2).with_rows([[0.6, 0.8]]).terms.width
        2

        """
        terms, parts = self.terms, self._parts + Parts.one(part_name(part))
        if (person is None) != (terms.per_person is None):
            found = "none" if person is None else "ids"
            raise ValueError(f"person must be given if and only if the sums are of people, got {found}")
        sums, names = summed(X, terms.reading, terms.columns, terms.order, self._sums, person, terms.salt)
        return self._made(Terms.of(terms.reading, sums.width, names, terms.order, terms.salt), sums, parts)

    @classmethod
    def together(cls, parts: Iterable[Moments]) -> Moments:
        """Return the sum of parts with the same terms, in any order.

        Parameters
        ----------
        parts
            At least one `Moments`.

        Returns
        -------
        Moments
            The sum.

        Raises
        ------
        ValueError
            If there are no parts, if they differ in their terms, or if one is given twice.

        Examples
        --------
        >>> Moments.together(Moments.of([[x, 0.5]]) for x in (0.1, 0.2))
        Moments(private, 2 columns, norm_bound=1, rows=refuse)

        """
        if not isinstance(parts, Iterable):
            raise ValueError(f"parts must be Moments in a list or an iterator, got {checks.shown(parts)}")
        found = [checks.instance(part, "parts", cls) for part in parts]
        if not found:
            raise ValueError("parts must not be empty, got none: Moments.empty has the sums over no rows")
        return reduce(operator.add, found)

    @property
    def parts(self) -> int:
        """Number of the parts that they are made of."""
        return self._parts.number

    def __add__(self, other: Moments) -> Self:
        if not isinstance(other, Moments):
            return NotImplemented
        return self._made(self.terms.agreed(other.terms), self._sums + other._sums, self._parts + other._parts)

    def __radd__(self, other: object) -> Self:
        """Let `sum` start from 0."""
        return self if type(other) is int and other == 0 else NotImplemented

    def __repr__(self) -> str:
        terms = self.terms
        return f"Moments(private, {terms.width} columns, norm_bound={terms.norm_bound:g}, rows={terms.rows})"

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_bytes, (self.to_bytes(),)

    def to_bytes(self) -> bytes:
        """Return the sums as bytes with a digest.

        These bytes are private data, as telling as the rows: keep them where the rows are. Nothing is pickled: a head
        in JSON, integers of 64 bits, and SHA-256 of both.

        Returns
        -------
        bytes
            The sums with their terms and the names of their parts; `from_bytes` reads them back.

        Examples
        --------
        >>> moments = Moments.of([[0.6, 0.8]])
        >>> Moments.from_bytes(moments.to_bytes()).to_bytes() == moments.to_bytes()
        True

        """
        return moments_file.written({**self.terms.head, "parts": self._parts.head}, self._sums)

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Read sums that `to_bytes` has written.

        Parameters
        ----------
        data
            The bytes, whole and unchanged.

        Returns
        -------
        Moments
            The sums, to the bit.

        Raises
        ------
        ValueError
            For any other bytes, even if only one bit differs.

        """
        head, sums = moments_file.read(data)
        try:
            parts = Parts.of_head(head.pop("parts"))
            terms = Terms.of_head(head)
        except ValueError:
            raise ValueError(moments_file.READ) from None
        if sums.count and not parts.number:
            raise ValueError(moments_file.READ)
        return cls._made(terms, sums, parts)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the sums to a new file that only its owner may read (mode 0600).

        The file is private data, as telling as the rows: keep it where the rows are.

        Parameters
        ----------
        path
            File that must not exist yet.

        Raises
        ------
        FileExistsError
            If there is such a file.

        """
        new_files.write(path, self.to_bytes())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read sums that `save` has written.

        Parameters
        ----------
        path
            The file.

        Returns
        -------
        Moments
            The sums, to the bit.

        Raises
        ------
        ValueError
            For any other file, and for one that does not fit in memory.
        OSError
            If the file cannot be read.

        """
        return cls.from_bytes(moments_file.load(new_files.path_of(path)))


def sums_of(moments: Moments, empty: bool = False) -> ExactMoments:
    """Return the private sums; ``ValueError`` if they are of no rows, unless ``empty`` data are data like others."""
    if not (moments._sums.count or empty):
        raise ValueError("X must not be empty, got Moments of no rows")
    return moments._sums
