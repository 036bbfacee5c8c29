/** How the signature of a webhook is verified (Standard Webhooks), by language. */
type Verify = { title: string; code: string }

const node = `import { Webhook } from 'standardwebhooks'

const webhook = new Webhook(process.env.WEBHOOK_SECRET)

app.post('/webhooks', express.raw({ type: 'application/json' }), (request, response) => {
  const event = webhook.verify(request.body, request.headers) // throws if the signature is wrong
  console.log(event.type, event.data) // can arrive twice, with the same event.id
  response.status(204).end()
})
`

const python = `import base64, hashlib, hmac, os, time

KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))

def is_genuine(headers, body: bytes) -> bool:
    """body: the raw bytes of the request."""
    timestamp = headers["webhook-timestamp"]
    signed = f"{headers['webhook-id']}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest()).decode()
    matches = [hmac.compare_digest(each, expected) for each in headers["webhook-signature"].split(" ")]
    return any(matches) and abs(time.time() - int(timestamp)) < 300
`

const go = `package webhooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// IsGenuine verifies a request by its raw body.
func IsGenuine(header http.Header, body []byte) bool {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("WEBHOOK_SECRET"), "whsec_"))
	if err != nil {
		return false
	}
	timestamp := header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(header.Get("webhook-id") + "." + timestamp + "."))
	mac.Write(body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, each := range strings.Fields(header.Get("webhook-signature")) {
		if hmac.Equal([]byte(each), []byte(expected)) {
			return true
		}
	}
	return false
}
`

const java = `import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

final class Webhooks {
  /** body: the raw bytes of the request. */
  static boolean isGenuine(String id, String timestamp, String signatures, byte[] body) throws Exception {
    String secret = System.getenv("WEBHOOK_SECRET").replaceFirst("^whsec_", "");
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(Base64.getDecoder().decode(secret), "HmacSHA256"));
    mac.update((id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8));
    byte[] expected = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(body))).getBytes();
    boolean matches = false;
    for (String each : signatures.split(" "))
      matches |= MessageDigest.isEqual(each.getBytes(), expected);
    return matches && Math.abs(Instant.now().getEpochSecond() - Long.parseLong(timestamp)) < 300;
  }
}
`

const ruby = `require "base64"
require "openssl"

KEY = Base64.decode64(ENV.fetch("WEBHOOK_SECRET").delete_prefix("whsec_"))

# body: the raw text of the request.
def genuine?(id, timestamp, signatures, body)
  mac = OpenSSL::HMAC.digest("SHA256", KEY, "#{id}.#{timestamp}.#{body}")
  expected = "v1,#{Base64.strict_encode64(mac)}"
  matches = signatures.split(" ").map { |each| OpenSSL.secure_compare(each, expected) }
  matches.any? && (Time.now.to_i - Integer(timestamp, 10)).abs < 300
end
`

const php = `<?php
// $body: file_get_contents('php://input')
function is_genuine(string $id, string $timestamp, string $signatures, string $body): bool {
    $key = base64_decode(preg_replace('/^whsec_/', '', getenv('WEBHOOK_SECRET')));
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    $matches = false;
    foreach (explode(' ', $signatures) as $each) {
        $matches = hash_equals($expected, $each) || $matches;
    }
    return $matches && abs(time() - (int) $timestamp) < 300;
}
`

export const VERIFY: Record<string, Verify> = {
  node: { title: 'Node.js', code: node },
  python: { title: 'Python', code: python },
  go: { title: 'Go', code: go },
  java: { title: 'Java', code: java },
  ruby: { title: 'Ruby', code: ruby },
  php: { title: 'PHP', code: php },
}
