import { useState } from 'react'
import { addressOf } from '../../../sdk/src/operations.ts'
import { texts } from '../texts/texts.ts'
import { Copy } from './Copy.tsx'
import { Dialog } from './Dialog.tsx'
import { Guide } from './Guide.tsx'
import { Icon } from './Icon.tsx'

type Call = { method?: string; path: string; given?: { path?: object; query?: object } }

/** How a service client gets an access token: its id and secret are in two variables. */
const TOKEN = `TOKEN=$(curl -sS ${location.origin}/token -u "$CLIENT_ID:$CLIENT_SECRET" -d grant_type=client_credentials | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`

/** The requests of a page, for scripts. */
export function ApiCalls({ calls }: { calls: readonly Call[] }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        <Icon name="code" />
        {texts.parts.api}
      </button>
      {isOpen && (
        <Dialog title={texts.parts.api} onClose={() => setOpen(false)}>
          <p>{texts.parts.apiLead}</p>
          <p className="snippet">
            <Copy text={TOKEN} />
          </p>
          {calls.map(({ method = 'GET', path, given = {} }) => {
            const flag = method === 'GET' ? '' : `-X ${method} `
            const address = `${location.origin}${addressOf(path, given)}`
            return (
              <p key={`${method} ${address}`} className="snippet">
                <Copy text={`curl ${flag}-H "Authorization: Bearer $TOKEN" '${address}'`} />
              </p>
            )
          })}
          <p>
            <a href="/docs">{texts.parts.reference}</a> <Guide>{texts.parts.guide}</Guide>
          </p>
        </Dialog>
      )}
    </>
  )
}
