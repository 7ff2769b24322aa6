# What was I told? "window" looks through the last six things said; "facts" keeps what
# was said about a subject, the latest last. "hoard" answers as facts does, and never lets
# go of anything: a leak to be found.
use strict;
use warnings;
use lib '.';
use Session;

my $mode = $ARGV[0];
my $conversation = '';
my (@said, %facts, @hoard);

sub recall_window {
    my ($subject) = @_;
    for my $text (@said) { # the first that fits
        return $1 if $text =~ /my \Q$subject\E is (?:now )?([^.]+)\./i;
    }
    return 'unknown';
}

sub hear {
    my ($text) = @_;
    push @hoard, $text x 50 if $mode eq 'hoard';
    push @said, $text;
    shift @said if @said > 6;
    $facts{lc $1} = $2 while $text =~ /my (\w+(?: \w+)?) is (?:now )?([^.]+)\./gi;
    delete $facts{lc $1} if $text =~ /forget my (\w+(?: \w+)?)\./i;
    return 'noted';
}

Session::serve(sub {
    my ($text, $task) = @_;
    my $of = $task->{conversation} // '';
    if ($of ne $conversation || !$task->{turn}) {
        $conversation = $of;
        @said = ();
        %facts = ();
    }
    return hear($text) unless $text =~ /^what is my (\w+(?: \w+)?)\?/i;
    return $mode eq 'window' ? recall_window($1) : $facts{lc $1} // 'unknown';
});
