/** A second opinion on the accepted responses: another library accepts them, with the same person. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SAML, ValidateInResponseTo } from '@node-saml/node-saml'
import { newSamlKey } from '../../test/support/saml-keys.ts'
import { samlField } from '../../test/support/saml-provider.ts'
import { samlSamples } from '../../test/support/saml-shapes.ts'
import { readCertificates } from './certificates.ts'
import { readResponse } from './response.ts'

const key = newSamlKey()
const keys = readCertificates([key.pem])
if (!Array.isArray(keys)) throw new Error(keys.fault)

for (const [name, { shape, document }] of Object.entries(samlSamples(key)))
  test(`node-saml accepts the response as of ${name}, with the same subject and attributes`, async () => {
    const field = samlField(document)
    const library = new SAML({
      ...{ callbackUrl: shape.acsUrl, issuer: shape.entityId, audience: shape.entityId },
      ...{ idpCert: key.pem, idpIssuer: shape.issuer, entryPoint: 'https://idp.example.com/' },
      wantAssertionsSigned: shape.signs !== 'response',
      wantAuthnResponseSigned: shape.signs !== 'assertion',
      validateInResponseTo: ValidateInResponseTo.never,
      // The times of the samples are not those of the clock.
      acceptedClockSkewMs: -1,
    })

    const { profile } = await library.validatePostResponseAsync({ SAMLResponse: field })
    const reading = readResponse(field, keys, shape)

    if ('code' in reading) assert.fail(reading.message)
    assert.equal(profile?.nameID, reading.statement.nameId?.value)
    assert.equal(profile?.issuer, shape.issuer)
    for (const [attribute, values] of reading.statement.attributes)
      assert.deepEqual([profile?.[attribute]].flat(), values, attribute)
  })
