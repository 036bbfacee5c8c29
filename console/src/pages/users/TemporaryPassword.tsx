import { useChange } from '../../api/queries.ts'
import { Confirm } from '../../parts/Confirm.tsx'
import { Copy } from '../../parts/Copy.tsx'
import { Dialog } from '../../parts/Dialog.tsx'
import { texts } from '../../texts/texts.ts'

/** Makes a password and shows it until the dialog is closed. */
export function TemporaryPassword({ userId, onClose }: { userId: string; onClose: () => void }) {
  const t = texts.users
  const make = useChange((api, path: { userId: string }) =>
    api.post('/admin/users/{userId}/reset-password', { path }),
  )
  if (make.data)
    return (
      <Dialog title={t.temporary} onClose={onClose}>
        <p>{t.temporaryShown}</p>
        <p className="snippet">
          <Copy text={make.data.temporaryPassword} />
        </p>
        <div className="dialog-actions">
          <button type="button" className="primary" onClick={onClose}>
            {texts.parts.close}
          </button>
        </div>
      </Dialog>
    )
  return (
    <Confirm
      title={t.temporary}
      submit={texts.parts.create}
      state={make}
      onConfirm={() => make.mutate({ userId })}
      onClose={onClose}
    >
      <p>{t.temporaryLead}</p>
    </Confirm>
  )
}
