import { useChange } from '../../api/queries.ts'
import { fill, texts } from '../../texts/texts.ts'
import { Confirm } from '../Confirm.tsx'
import { Dialog } from '../Dialog.tsx'
import { CheckField, Form, isChecked, TextField, textOf } from '../Form.tsx'
import { useToast } from '../Toasts.tsx'
import { type Account, type Domain, PATH } from './domain.ts'

export function AddDomain({ account, onClose }: { account: Account; onClose: () => void }) {
  const t = texts.domains
  const toast = useToast()
  const add = useChange(
    (api, data: FormData) =>
      api.post(PATH, {
        path: { accountId: account.id },
        body: { name: textOf(data, 'name') ?? '', subdomains: isChecked(data, 'subdomains') },
      }),
    {
      onSuccess: () => {
        toast(t.added)
        onClose()
      },
    },
  )
  return (
    <Dialog title={t.add} onClose={onClose}>
      <Form state={add} submit={t.add} onCancel={onClose} onSubmit={add.mutate}>
        <TextField name="name" label={t.name} hint={t.nameHint} required autoFocus maxLength={300} />
        <CheckField name="subdomains" label={t.subdomains} hint={t.subdomainsHint} />
      </Form>
    </Dialog>
  )
}

export function DeleteDomain({ domain, onClose }: { domain: Domain; onClose: () => void }) {
  const t = texts.domains
  const toast = useToast()
  const { accountId, id: domainId, name } = domain
  const remove = useChange((api) => api.delete(`${PATH}/{domainId}`, { path: { accountId, domainId } }), {
    onSuccess: () => {
      toast(t.deleted)
      onClose()
    },
  })
  return (
    <Confirm
      title={fill(t.deleteTitle, { name })}
      submit={texts.parts.delete}
      state={remove}
      onConfirm={() => remove.mutate(undefined)}
      onClose={onClose}
    >
      <p>{t.deleteLead}</p>
    </Confirm>
  )
}
