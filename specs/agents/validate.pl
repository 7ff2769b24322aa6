# Is a message safe to pass on to a model? "words" looks for words that attacks use,
# wherever they stand; "intent" for an order about the instructions, in words of its own.
use strict;
use warnings;
use utf8;
use lib '.';
use Session;

my @words = qw(ignore system prompt password hack bypass override jailbreak pretend secret);

my $rules  = qr/(?:your|these|all|any|previous|prior|earlier|above|hidden|system|safety|the)/;
my $what   = qr/instructions?|prompts?|rules|guidelines|directions|filters?|restrictions|guardrails/;
my @intents = (
    qr/\b(?:ignore|disregard|forget|skip|drop|override|bypass)\b(?:\W+$rules\b){1,4}\W+(?:$what)\b/,
    qr/\b(?:reveal|print|repeat|leak|show(?: me)?)\b\W+(?:your|the (?:hidden|system))\b(?:\W+$rules\b)*\W+(?:$what)\b/,
    qr/\byou are (?:now|no longer)\b.{0,40}\b(?:unrestricted|unfiltered|bound|limits|rules)\b/,
    qr/\b(?:act|behave|answer) as if you had no (?:$what|limits)\b/,
    qr/^\s*(?:system|assistant)\s*:/m,
    qr/<\|?\/?(?:system|im_start|im_end)\|?>/,
);

sub words {
    my ($text) = @_;
    $text = lc $text;
    return (grep { index($text, $_) >= 0 } @words) ? 'block' : 'allow';
}

# Characters that cannot be seen are a threat where they reorder text (bidirectional
# controls, Unicode TR 36) and else are taken out: they break up words.
sub intent {
    my ($text) = @_;
    return 'block' if $text =~ /[\x{202A}-\x{202E}\x{2066}-\x{2069}\0]/;
    $text =~ s/[\x{200B}-\x{200F}\x{2060}\x{FEFF}\x{AD}]//g;
    $text = lc $text;
    return (grep { $text =~ $_ } @intents) ? 'block' : 'allow';
}

Session::serve($ARGV[0] eq 'words' ? \&words : \&intent);
