import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { usePlace } from '../../api/context.ts'
import { ApiCalls } from '../../parts/ApiCalls.tsx'
import { Icon } from '../../parts/Icon.tsx'
import { Page } from '../../parts/Page.tsx'
import { texts } from '../../texts/texts.ts'
import { ChooseFile } from './ChooseFile.tsx'
import { textOf } from './encoding.ts'
import { type Chosen, ImportFile } from './ImportFile.tsx'
import './ImportPage.css'

export function ImportPage() {
  const { key, canChange } = usePlace()
  const t = texts.imports
  const [chosen, setChosen] = useState<Chosen>()
  const [count, setCount] = useState(0)
  const choose = async (file: File) => {
    const common = { number: count, name: file.name }
    setCount(count + 1)
    try {
      const bytes = new Uint8Array(await file.arrayBuffer())
      setChosen({ ...common, bytes, text: textOf(bytes) })
    } catch (error) {
      setChosen({ ...common, error })
    }
  }
  return (
    <Page
      title={t.title}
      lead={t.lead}
      above={
        <Link className="back" to="/$context/users" params={{ context: key }}>
          <Icon name="left" />
          {t.back}
        </Link>
      }
      actions={
        <ApiCalls
          calls={[
            { method: 'POST', path: '/admin/users/import', given: { query: { dryRun: true } } },
            { method: 'POST', path: '/admin/users/import' },
          ]}
        />
      }
    >
      {!canChange && <p>{texts.shell.readOnly}</p>}
      {canChange && !chosen && <ChooseFile onChoose={choose} />}
      {canChange && chosen && (
        <ImportFile key={chosen.number} chosen={chosen} onOther={() => setChosen(undefined)} />
      )}
    </Page>
  )
}
