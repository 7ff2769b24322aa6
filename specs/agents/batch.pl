# A batch: the smallest prime factor of each item, in the order of the items; "error"
# for what is no number above 1. The argument is how many processes share the work.
use strict;
use warnings;
use lib '.';
use POSIX ();
use Session;

my $workers = $ARGV[0];

sub factor {
    my ($n) = @_;
    return 'error' if ref $n || $n !~ /^\d+$/ || $n < 2;
    return 2 if $n % 2 == 0;
    for (my $d = 3; $d * $d <= $n; $d += 2) {
        return $d if $n % $d == 0;
    }
    return $n;
}

# Item i is done by process i modulo workers.
sub in_parallel {
    my ($items) = @_;
    my (@pipes, @results);
    for my $w (0 .. $workers - 1) {
        pipe(my $from, my $to) or die "pipe: $!";
        my $pid = fork // die "fork: $!";
        if (!$pid) {
            for (my $i = $w; $i < @$items; $i += $workers) {
                syswrite $to, "$i " . factor($items->[$i]) . "\n";
            }
            POSIX::_exit(0); # the parent's buffers are not ours to flush
        }
        close $to;
        push @pipes, $from;
    }
    for my $from (@pipes) {
        while (<$from>) {
            $results[$1] = $2 if /^(\d+) (\S+)/;
        }
    }
    1 while wait > 0;
    return @results;
}

Session::serve(sub {
    my ($items) = @_;
    return join ' ', $workers > 1 ? in_parallel($items) : map { factor($_) } @$items;
});
