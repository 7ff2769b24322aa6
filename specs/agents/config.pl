# Which fields of a model's configuration are wrong; ["ok"] if none is. "types" looks at
# types only; "limits" knows ranges and names, and what must go together.
use strict;
use warnings;
use lib '.';
use JSON::PP;
use Session;

my %limits = (
    temperature => [0, 2], top_p => [0, 1], max_tokens => [1, 32768], seed => [0, 2**53],
    timeout_ms => [1, 600000], retries => [0, 10],
);
my %whole = map { $_ => 1 } qw(max_tokens seed timeout_ms retries);

sub is_number { !ref $_[0] && JSON::PP->new->allow_nonref->encode($_[0]) =~ /^-?[\d.]+(?:e[-+]?\d+)?$/i }

sub types {
    my ($config) = @_;
    return [grep { exists $limits{$_} && !is_number($config->{$_}) } sort keys %$config];
}

sub limits {
    my ($config) = @_;
    my @wrong;
    for my $name (sort keys %$config) {
        my $value = $config->{$name};
        if (my $limit = $limits{$name}) {
            my $fits = is_number($value) && $value >= $limit->[0] && $value <= $limit->[1]
                && (!$whole{$name} || $value == int $value);
            push @wrong, $name unless $fits;
        } elsif ($name eq 'stop') {
            push @wrong, $name if ref $value ne 'ARRAY' || @$value > 4 || grep { ref } @$value;
        } elsif ($name eq 'model') {
            push @wrong, $name if ref $value || is_number($value) || $value !~ /\S/;
        } elsif ($name ne 'stream' || !JSON::PP::is_bool($value)) {
            push @wrong, $name;
        }
    }
    push @wrong, 'model' unless exists $config->{model};
    return \@wrong;
}

my $check = $ARGV[0] eq 'types' ? \&types : \&limits;
Session::serve(sub { my $wrong = $check->($_[0]); @$wrong ? $wrong : ['ok'] });
