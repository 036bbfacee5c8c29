import { useState } from 'react'
import { useMe } from '../api/context.ts'
import { forgetVisits } from '../palette/visits.ts'
import { Icon } from '../parts/Icon.tsx'
import { chooseLanguage, LANGUAGES, type Language, language, texts } from '../texts/texts.ts'
import { applyTheme, THEMES, type Theme, themeOf } from './theme.ts'
import './context-name.css'
import './side-button.css'
import './UserMenu.css'

/** The signed-in user: their own account, language, theme, sign-out. */
export function UserMenu() {
  const { user } = useMe()
  const [theme, setTheme] = useState(themeOf())
  return (
    <div className="side-foot">
      <div className="who">
        <Icon name="user" />
        <span className="context-name">
          <strong>{user.name ?? user.email}</strong>
          {user.name && <span>{user.email}</span>}
        </span>
      </div>
      <div className="own">
        <a href="/account">{texts.shell.ownProfile}</a>
        <a href="/session/end" onClick={() => forgetVisits()}>
          {texts.shell.signOut}
        </a>
      </div>
      <div className="choices">
        <label>
          <span>{texts.shell.language}</span>
          <select value={language} onChange={(event) => chooseLanguage(event.target.value as Language)}>
            {Object.entries(LANGUAGES).map(([code, name]) => (
              <option key={code} value={code} lang={code}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>{texts.shell.theme}</span>
          <select
            value={theme}
            onChange={(event) => {
              const chosen = event.target.value as Theme
              applyTheme(chosen)
              setTheme(chosen)
            }}
          >
            {THEMES.map((each) => (
              <option key={each} value={each}>
                {texts.shell.themes[each]}
              </option>
            ))}
          </select>
        </label>
      </div>
    </div>
  )
}
