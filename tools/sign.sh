#!/bin/sh
# Signs a list of checksums, with a key of whoever releases:
#
#   tools/sign.sh dist/SHA256SUMS KEY
#
# KEY is a file with a key of SSH, the public half where an agent has the other, or else what GnuPG knows a key by. The
# signature is FILE.sig of the former and FILE.asc of the latter. SECURITY.md says how it is checked.
set -eu
file=$1 key=$2
rm -f "$file.sig" "$file.asc" # of another list
if [ -f "$key" ]; then
	ssh-keygen -q -Y sign -f "$key" -n file "$file"
	signature=$file.sig
else
	gpg --batch --yes --local-user "$key" --armor --detach-sign --output "$file.asc" "$file"
	signature=$file.asc
fi
echo "$signature: the signature of $file"
