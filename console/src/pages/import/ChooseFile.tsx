import { texts } from '../../texts/texts.ts'
import '../../parts/Form.css'

export function ChooseFile({ onChoose }: { onChoose: (file: File) => unknown }) {
  const t = texts.imports
  return (
    <section className="panel narrow">
      <p>{t.leadPassword}</p>
      <div className="field">
        <label htmlFor="import-file">{t.choose}</label>
        <input
          id="import-file"
          type="file"
          accept=".csv,.tsv,.ndjson,.jsonl,.json,.txt"
          aria-describedby="import-hint"
          onChange={(event) => {
            const file = event.target.files?.[0]
            if (file) void onChoose(file)
          }}
        />
        <p id="import-hint" className="hint">
          {t.fileHint}
        </p>
      </div>
    </section>
  )
}
