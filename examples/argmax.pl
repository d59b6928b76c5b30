# The largest of three noisy scores, for the auditor's line protocol (see README.md); one call in a thousand fails.
# Gumbel noise makes it the exponential mechanism: on the scores below each outcome is at most e times as likely.
#
#   echo '{"first": [1, 0, 0], "second": [0, 1, 0]}' > scores.json
#   dpspectra audit --command "perl argmax.pl" --pair scores.json --epsilon 1       not refuted: the claim is exact
#   dpspectra audit --command "perl argmax.pl" --pair scores.json --epsilon 0.6     refuted
use strict;
use warnings;

$| = 1;    # flush after every answer
my @names = qw(red green blue);
my @data;

sub gumbel { return -log(-log(rand() || 1e-300)) }

sub winner {
    my @noisy = map { $_ + gumbel() } @_;
    my ($best) = sort { $noisy[$b] <=> $noisy[$a] } 0 .. $#noisy;
    return $names[$best];
}

while (my $request = <STDIN>) {
    if ($request =~ /^\{"hello":1,"first":\[(.*)\],"second":\[(.*)\]\}/) {
        @data = map { [split /,/] } $1, $2;
        print qq({"hello":1,"name":"noisy argmax in perl","seeded":true}\n);
    }
    elsif ($request =~ /^\{"id":(\d+),"side":([01]),"size":1,"seed":(\d+)/) {
        my ($id, $side) = ($1, $2);
        srand($3);
        if (rand() < 0.001) { print qq({"id":$id,"error":"Overflow","message":"a score is out of range"}\n) }
        else { printf qq({"id":$id,"outputs":["%s"]}\n), winner(@{ $data[$side] }) }
    }
    else { last }    # {"bye":1}
}
