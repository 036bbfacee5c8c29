# Signs a user in: prints an address for a browser, reads the code, and asks who has signed in.
set -eu

REDIRECT_URI=http://localhost:$PORT/callback
VERIFIER=$(openssl rand -hex 32)
CHALLENGE=$(printf %s "$VERIFIER" | openssl dgst -sha256 -binary | openssl base64 -A | tr '+/' '-_' | tr -d '=')
echo "Open this address in a private window and sign in:"
echo "$ISSUER/auth?client_id=$CLIENT_ID&response_type=code&scope=openid+email+profile+offline_access&redirect_uri=$REDIRECT_URI&code_challenge=$CHALLENGE&code_challenge_method=S256"

# No server listens at the redirect URI. The code is valid for a minute.
echo "The browser arrives at an address that begins with $REDIRECT_URI. Paste the value of 'code' in it:"
read -r CODE

# With a secret, the system authenticates by HTTP Basic; without, it names itself.
if [ -n "${CLIENT_SECRET:-}" ]; then
  set -- -u "$CLIENT_ID:$CLIENT_SECRET"
else
  set -- -d "client_id=$CLIENT_ID"
fi
TOKENS=$(curl -sS --fail-with-body "$ISSUER/token" "$@" \
  -d grant_type=authorization_code -d "code=$CODE" -d "code_verifier=$VERIFIER" \
  --data-urlencode "redirect_uri=$REDIRECT_URI") || { echo "$TOKENS"; exit 1; }
ACCESS_TOKEN=$(printf %s "$TOKENS" | sed 's/.*"access_token":"\([^"]*\)".*/\1/')

# Partition your data by account_id, never by sub: sub is the same in every account of the user.
curl -sS "$ISSUER/me" -H "Authorization: Bearer $ACCESS_TOKEN"
