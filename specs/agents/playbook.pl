# An agent that works by a playbook (docs/sparse-memory.md): a list of lines of its role's
# library, "- name @1" for the whole line, "- name @0" for its first sentence. What its task says
# is settled it does not name.
#     playbook.pl KIND: reads playbooks/ROLE.KIND and playbooks/ROLE.library
use strict;
use warnings;
use lib '.';
use Session;

my $kind = $ARGV[0];
my %known;

sub lines_of {
    my ($path) = @_;
    open my $file, '<', $path or die "$path: $!\n";
    chomp(my @lines = <$file>);
    return @lines;
}

sub playbook {
    my ($role) = @_;
    my %library = map { /^(\w+): (.*)/ ? ($1 => $2) : () } lines_of("playbooks/$role.library");
    my @said;
    for (lines_of("playbooks/$role.$kind")) {
        my ($name, $setting) = /^- (\w+)(?: @(\d))?/ or next;
        my $text = $library{$name} // die "the library of $role has no line '$name'\n";
        $text =~ s/\. .*/./ unless $setting;
        push @said, $text;
    }
    return join "\n", @said;
}

Session::serve(sub {
    my ($task) = @_;
    my $role = $task->{agent} =~ /^(\w+)$/ ? $1 : die "no role\n";
    my $text = $known{$role} //= playbook($role);
    $text =~ s/\{subject\}/$task->{inputs}{subject}/g;
    $text =~ s/the \Q$_\E/the rest/g for @{$task->{inputs}{settled} // []};
    return $text;
});
