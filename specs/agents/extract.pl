# The JSON in what a model wrote, or "none". "greedy" takes from the first bracket to the
# last and counts what is missing; "scan" reads the brackets, knowing what a string is.
use strict;
use warnings;
use lib '.';
use JSON::PP;
use Session;

my $json = JSON::PP->new->allow_nonref;

sub greedy {
    my ($text) = @_;
    $text = $1 if $text =~ /```(?:json)?\s*(.*?)```/s;
    return 'none' unless $text =~ /([{\[].*)/s;
    my $found = $1;
    $found = $1 if $found =~ /(.*[}\]])/s;
    my $open = ($found =~ tr/{//) - ($found =~ tr/}//);
    $found .= '}' x $open if $open > 0;
    $found =~ s/,\s*([}\]])/$1/g;
    $found =~ s/'/"/g;
    my $value = eval { $json->decode($found) };
    return defined $value ? $value : 'none';
}

# One value from the text's first bracket on; what is open at the end is closed.
sub scan_from {
    my ($text) = @_;
    my ($out, @open) = ('');
    while ($text =~ /\G("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[{}\[\]]|[^"'{}\[\]]+|.)/gcs) {
        my $part = $1;
        if ($part =~ /^'(.*)'$/s) { # a Python string
            $part = $json->encode($1 =~ s/\\'/'/gr);
        } elsif ($part =~ /^["']/ && $part !~ /.["']$/s) { # an open string: cut off
            my $rest = substr $text, pos($text);
            $out .= $json->encode($rest =~ s/[\s}\]]+$//r);
            last;
        } elsif ($part eq '{' || $part eq '[') {
            push @open, $part eq '{' ? '}' : ']';
        } elsif ($part eq '}' || $part eq ']') {
            $out =~ s/,\s*$//;
            pop @open;
        } elsif ($part !~ /^"/) { # words of Python, comments
            $part =~ s{//[^\n]*|/\*.*?\*/}{}gs;
            $part =~ s/\bNone\b/null/g;
            $part =~ s/\bTrue\b/true/g;
            $part =~ s/\bFalse\b/false/g;
        }
        $out .= $part;
        last unless @open;
    }
    $out =~ s/,\s*$//;
    return $out . join '', reverse @open;
}

sub scan {
    my ($text) = @_;
    $text = $1 if $text =~ /```(?:json)?\s*([{\[].*?)```/s;
    while ($text =~ /(?=([{\[]))/g) {
        my $value = eval { $json->decode(scan_from(substr $text, pos $text)) };
        return $value if ref $value;
    }
    return 'none';
}

Session::serve($ARGV[0] eq 'greedy' ? \&greedy : \&scan);
