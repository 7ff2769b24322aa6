# An agent with a price and a share of right answers, for a store with something to pay:
#     perl answerer.pl PRICE RIGHT
# Answers the sum in its input. A case is right or wrong by its own hash, so that a more
# capable configuration is right where a lesser one is.
use strict;
use warnings;
use JSON::PP;

my ($price, $right) = @ARGV;
my $json = JSON::PP->new->utf8->canonical->allow_nonref;
$| = 1;
while (my $line = <STDIN>) {
    my $task = $json->decode($line);
    my $hash = 7;
    $hash = ($hash * 31 + ord) % 9973 for split //, $task->{input} . 'x';
    my ($x, $y) = split /\D+/, $task->{input};
    my $sum = $x + $y + ($hash % 100 < $right * 100 ? 0 : 1);
    my $tokens = 20 + $hash % 60;
    print $json->encode({
        id => $task->{id}, output => "$sum",
        usage => {input_tokens => 12, output_tokens => $tokens, cost_usd => $price * $tokens},
    }), "\n";
}
