"""A program without users: gets a token of its own and lists the memberships of its system."""
import os

from authlib.integrations.requests_client import OAuth2Session

ISSUER = os.environ["ISSUER"]

client = OAuth2Session(os.environ["CLIENT_ID"], os.environ["CLIENT_SECRET"])
client.fetch_token(f"{ISSUER}/token", grant_type="client_credentials")

answer = client.get(f"{ISSUER}/admin/memberships", timeout=10)
answer.raise_for_status()
# Partition your data by accountId, never by userId: a user can have several accounts.
for membership in answer.json()["data"]:
    print(membership["accountId"], membership["id"])
