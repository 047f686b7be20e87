#!/usr/bin/env bash
# Makes the certificates of this folder anew, all of one key. What is good is good until 2126, and trusted only where
# authority.pem is; the authority's own key is not kept.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

curve() { openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1"; }

curve "$work/authority.key"
curve server.key
openssl req -x509 -key "$work/authority.key" -days 36500 -subj '/CN=An authority of tests' -out authority.pem \
  -addext basicConstraints=critical,CA:true -addext keyUsage=critical,keyCertSign

printf '[ca]\ndefault_ca = tests\n[tests]\ndatabase = %s/index\nnew_certs_dir = %s\nrand_serial = yes\n' "$work" "$work" >"$work/ca.cnf"
printf 'default_md = sha256\npolicy = name\nunique_subject = no\n[name]\ncommonName = supplied\n' >>"$work/ca.cnf"
printf 'subjectAltName = DNS:a.example\n' >"$work/names.cnf"
openssl req -new -key server.key -subj /CN=a.example -out "$work/request.pem"

# signed FILE FROM TO: a certificate of a.example.
signed() {
  : >"$work/index"
  openssl ca -batch -notext -config "$work/ca.cnf" -cert authority.pem -keyfile "$work/authority.key" \
    -extfile "$work/names.cnf" -startdate "$2" -enddate "$3" -in "$work/request.pem" -out "$1"
}
signed a.example.pem 20260101000000Z 21260101000000Z
signed expired.pem 20250101000000Z 20260101000000Z
signed not-yet-valid.pem 21250101000000Z 21260101000000Z
openssl req -x509 -key server.key -days 36500 -subj /CN=a.example -addext subjectAltName=DNS:a.example -out self-signed.pem
