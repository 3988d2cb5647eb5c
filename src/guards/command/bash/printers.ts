// The names of the programs whose printing is worked out, so that it need not be loaded to know who is not among them.
// INVARIANT: a test holds the list against the table.

export const printerNames =
  ': [ awk base32 base64 basename cat cut dd dirname echo egrep false fgrep gawk grep gsed gunzip gzip head jq less ls mawk more openssl paste printf pv pwd readlink realpath rev sed seq shuf sort sponge strings tac tail tee test tr true uniq whereis which xxd yes zcat';
