import { texts } from '../../texts/texts.ts'
import { Copy } from '../Copy.tsx'
import './InvitationLinks.css'

type Props = { links: { email: string; url: string }[]; onDone: () => void }

/** The links of new invitations, which no later response has. */
export function InvitationLinks({ links, onDone }: Props) {
  const t = texts.invitations
  return (
    <>
      <p>{t.linksLead}</p>
      <ul className="links">
        {links.map(({ email, url }) => (
          <li key={email}>
            <strong>{email}</strong>
            <span className="snippet">
              <Copy text={url} label={`${texts.parts.copy}: ${email}`} />
            </span>
          </li>
        ))}
      </ul>
      <div className="dialog-actions">
        {links.length > 1 && (
          <Copy
            text={links.map(({ email, url }) => `${email} ${url}`).join('\n')}
            label={t.copyAll}
            isHidden
          />
        )}
        <button type="button" className="primary" onClick={onDone}>
          {texts.settings.done}
        </button>
      </div>
    </>
  )
}
