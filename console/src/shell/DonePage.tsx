import { useEffect } from 'react'
import { texts } from '../texts/texts.ts'

export const SIGN_INS = 'tenantry.sign-in'

/** The end of a sign-in in a window of its own: the page that opened it continues. */
export function DonePage() {
  useEffect(() => {
    const channel = new BroadcastChannel(SIGN_INS)
    channel.postMessage('signed-in')
    channel.close()
    window.close()
  }, [])
  return (
    <main className="alone">
      <p>{texts.shell.signedIn}</p>
    </main>
  )
}
