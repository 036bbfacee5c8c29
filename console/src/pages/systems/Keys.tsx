import { useEffect, useState } from 'react'
import { usePlace } from '../../api/context.ts'
import { useChange, useRead } from '../../api/queries.ts'
import { Badge } from '../../parts/Badge.tsx'
import { Copy } from '../../parts/Copy.tsx'
import { Facts } from '../../parts/Facts.tsx'
import { SelectField, TextField, textOf } from '../../parts/Form.tsx'
import { RotateSecret } from '../../parts/RotateSecret.tsx'
import { Section, SettingsForm } from '../../parts/settings/SettingsForm.tsx'
import { Time } from '../../parts/Time.tsx'
import { fill, texts } from '../../texts/texts.ts'
import { type Patch, useEditing } from './editing.tsx'
import type { System } from './system.ts'

/** How an application proves who it is. */
export function KeySettings() {
  const { system } = useEditing()
  const { clientType } = system
  return (
    <div className="narrow">
      <Secret system={system} />
      {clientType === 'confidential' && <ClientKeys system={system} />}
    </div>
  )
}

function Secret({ system }: { system: System }) {
  const { canChange } = usePlace()
  const [isOpen, setOpen] = useState(false)
  const t = texts.settings
  const isPublic = system.clientType === 'public'
  return (
    <section className="panel">
      <h2>{t.secret}</h2>
      <p className="muted">{isPublic ? t.noSecret : t.secretLead}</p>
      <Facts facts={[[texts.systems.clientId, <Copy key="id" text={system.clientId} />]]} />
      {!isPublic && <Rotated system={system} />}
      {!isPublic && canChange && (
        <div className="dialog-actions">
          <button type="button" onClick={() => setOpen(true)}>
            {t.rotate}
          </button>
        </div>
      )}
      {isOpen && <Rotate system={system} onClose={() => setOpen(false)} />}
    </section>
  )
}

function Rotate({ system, onClose }: { system: System; onClose: () => void }) {
  const t = texts.settings
  const rotate = useChange((api, graceSeconds: number) =>
    api.post('/admin/systems/{systemId}/rotate-secret', {
      path: { systemId: system.id },
      body: { graceSeconds },
    }),
  )
  return (
    <RotateSecret
      title={fill(t.rotateTitle, { name: system.name })}
      lead={t.rotateLead}
      state={rotate}
      onRotate={async (graceSeconds) => (await rotate.mutateAsync(graceSeconds)).clientSecret}
      onClose={onClose}
    />
  )
}

/** When the secret was replaced, by the audit log, and how long the previous one is still valid. */
function Rotated({ system }: { system: System }) {
  const t = texts.settings
  const query = {
    action: 'system.secret_rotated',
    targetType: 'system',
    targetId: system.id,
    page: 1,
    pageSize: 1,
  }
  const entries = useRead('/admin/audit', { query })
  const [entry] = entries.data?.data ?? []
  if (!entries.data) return null
  if (!entry) return <p className="hint after">{t.neverRotated}</p>
  return (
    <>
      <p className="hint after">
        {t.rotatedAt} <Time at={entry.time} />
      </p>
      {system.previousSecretUntil && <Countdown until={Date.parse(system.previousSecretUntil)} />}
    </>
  )
}

/** 1 s, in ms. */
const SECOND = 1_000

function Countdown({ until }: { until: number }) {
  const [now, setNow] = useState(Date.now)
  const t = texts.settings
  const isOver = until <= now
  useEffect(() => {
    if (isOver) return
    const timer = setInterval(() => setNow(Date.now()), SECOND)
    return () => clearInterval(timer)
  }, [isOver])
  if (isOver) return null
  return (
    <p>
      <Badge tone="wait">{fill(t.previousUntil, { time: clockOf(until - now) })}</Badge> {t.previousLead}
    </p>
  )
}

/** `2 d 03:04:05`. */
function clockOf(duration: number): string {
  const seconds = Math.ceil(duration / SECOND)
  const parts = [Math.floor(seconds / 3_600) % 24, Math.floor(seconds / 60) % 60, seconds % 60]
  const days = Math.floor(seconds / 86_400)
  const clock = parts.map((part) => String(part).padStart(2, '0')).join(':')
  return days > 0 ? `${days} d ${clock}` : clock
}

/** A text that is not JSON remains a text: its field is not valid, so it is not sent. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function ClientKeys({ system }: { system: System }) {
  const t = texts.settings
  const { none, ...methods } = t.methods
  const [fault, setFault] = useState<string>()
  const read = (data: FormData): Patch => {
    const jwks = textOf(data, 'jwks')
    return {
      tokenEndpointAuthMethod: data.get('tokenEndpointAuthMethod') as System['tokenEndpointAuthMethod'],
      jwksUri: textOf(data, 'jwksUri') ?? null,
      jwks: jwks === undefined ? null : (parsed(jwks) as System['jwks']),
    }
  }
  const check = (text: string) => {
    try {
      if (text.trim()) JSON.parse(text)
      setFault(undefined)
      return ''
    } catch (error) {
      const message = fill(t.badJson, { error: (error as Error).message })
      setFault(message)
      return message
    }
  }
  return (
    <div
      onInput={({ target }) => {
        if (target instanceof HTMLTextAreaElement) target.setCustomValidity(check(target.value))
      }}
    >
      <SettingsForm>
        <Section title={t.keys} lead={t.keysLead} read={read}>
          <SelectField
            name="tokenEndpointAuthMethod"
            label={t.method}
            value={system.tokenEndpointAuthMethod}
            options={methods}
          />
          <TextField
            name="jwksUri"
            label={t.jwksUri}
            hint={t.jwksUriHint}
            value={system.jwksUri ?? ''}
            placeholder="https://"
            isOptional
            maxLength={2_000}
          />
          <TextField
            name="jwks"
            label={t.jwks}
            hint={fault ? <span className="fault">{fault}</span> : t.jwksHint}
            value={system.jwks ? JSON.stringify(system.jwks, null, 2) : ''}
            lines={8}
            isOptional
          />
        </Section>
      </SettingsForm>
    </div>
  )
}
