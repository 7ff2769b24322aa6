# Token F1 of an answer and a reference. "split" compares the sets of what stands between
# spaces; "bag" folds case, strips punctuation and articles, and counts repeats, as
# SQuAD's scorer does (Rajpurkar et al. 2016).
use strict;
use warnings;
use utf8;
use lib '.';
use Session;

my $mode = $ARGV[0];

sub tokens {
    my ($text) = @_;
    return do { my %seen; grep { !$seen{$_}++ } split ' ', $text } if $mode eq 'split';
    $text = lc $text;
    $text =~ s/[[:punct:]]//g;
    $text =~ s/\b(?:a|an|the)\b/ /g;
    return split ' ', $text;
}

Session::serve(sub {
    my ($pair) = @_;
    my @answer = tokens($pair->{answer});
    my @reference = tokens($pair->{reference});
    my %left;
    $left{$_}++ for @reference;
    my $hits = grep { ($left{$_} // 0) > 0 && $left{$_}-- } @answer;
    return @answer || @reference ? sprintf('%.4f', 2 * $hits / (@answer + @reference)) : '1.0000';
});
