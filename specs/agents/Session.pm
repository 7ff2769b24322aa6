# The session protocol of docs/agents.md: one task a line, one answer a line.
package Session;
use strict;
use warnings;
use JSON::PP;

# serve(sub): the sub gets the input and the task, and returns the output; if it dies,
# the task has failed and the session goes on.
sub serve {
    my ($answer) = @_;
    my $json = JSON::PP->new->utf8->canonical->allow_nonref;
    $| = 1;
    while (my $line = <STDIN>) {
        my $task = $json->decode($line);
        my $output = eval { $answer->($task->{input}, $task) };
        my $reply = {id => $task->{id}};
        if ($@) { $reply->{error} = "$@" } else { $reply->{output} = $output }
        print $json->encode($reply), "\n";
    }
}
1;
