# A program without users: gets a token of its own and lists the memberships of its system.
set -eu

TOKEN=$(curl -sS "$ISSUER/token" -u "$CLIENT_ID:$CLIENT_SECRET" -d grant_type=client_credentials |
  sed 's/.*"access_token":"\([^"]*\)".*/\1/')

# Partition your data by accountId, never by userId: a user can have several accounts.
curl -sS "$ISSUER/admin/memberships" -H "Authorization: Bearer $TOKEN"
