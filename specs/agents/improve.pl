# An agent for the experiment self_improving: reads the playbooks that it is shown and proposes
# the better one with a line of the library that none of them has. Session.pm is in its folder.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Session;

my $turn = 0;
Session::serve(sub {
    my ($text) = @_;
    my ($most) = $text =~ /At most (\d+) rows/;
    my ($shown, $library) = split /^library:/m, $text;
    my @books = split /^score /m, $shown;
    shift @books;
    my ($best) = sort { ($b =~ /^([-\d.]+)/)[0] <=> ($a =~ /^([-\d.]+)/)[0] } @books;
    my @rows = $best =~ /^(- \S+ \@\d)/mg;
    my %has = map { /- (\S+)/ ? ($1 => 1) : () } @rows;
    my @names = grep { !$has{$_} } $library =~ /^(\w+):/mg;
    $turn++;
    my $new = "- $names[$turn * 7 % @names] \@" . $turn % 2;
    if (@rows < $most) { push @rows, $new } else { $rows[$turn % @rows] = $new }
    return "I propose:\n" . join "\n", @rows;
});
