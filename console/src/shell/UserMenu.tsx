import { useId, useRef, useState } from 'react'
import { useMe } from '../api/context.ts'
import { forgetVisits } from '../palette/visits.ts'
import { Avatar } from '../parts/Avatar.tsx'
import { Guide } from '../parts/Guide.tsx'
import { Icon } from '../parts/Icon.tsx'
import { chooseLanguage, LANGUAGES, type Language, language, texts } from '../texts/texts.ts'
import { applyTheme, THEMES, type Theme, themeOf } from './theme.ts'
import './context-name.css'
import './side-button.css'
import './UserMenu.css'

/** The signed-in user, and a menu: their profile, language, theme, keys, documentation, sign-out. */
export function UserMenu({ onKeys }: { onKeys: () => void }) {
  const { user } = useMe()
  const id = useId()
  const menu = useRef<HTMLDivElement>(null)
  const name = user.name ?? user.email
  const openKeys = () => {
    menu.current?.hidePopover() // the focus is on the button again, to which the dialog returns it
    onKeys()
  }
  return (
    <div className="side-foot">
      <button type="button" className="who" popoverTarget={id}>
        <Avatar id={user.id} name={name} />
        <span className="context-name">
          <strong>{name}</strong>
          {user.name && <span>{user.email}</span>}
        </span>
        <Icon name="chevrons" />
      </button>
      <div id={id} ref={menu} popover="auto" className="user-menu">
        <a href="/account">
          <Icon name="user" />
          {texts.shell.ownProfile}
        </a>
        <Choices />
        <button type="button" className="open-keys" onClick={openKeys}>
          <Icon name="list" />
          {texts.palette.keys}
        </button>
        <Guide>
          <Icon name="external" />
          {texts.shell.documentation}
        </Guide>
        <a href="/session/end" className="sign-out" onClick={() => forgetVisits()}>
          <Icon name="signOut" />
          {texts.shell.signOut}
        </a>
      </div>
    </div>
  )
}

/** How the console looks to this user. */
function Choices() {
  const [theme, setTheme] = useState(themeOf())
  const choose = (chosen: Theme) => {
    applyTheme(chosen)
    setTheme(chosen)
  }
  return (
    <>
      <label>
        <Icon name="globe" />
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
        <Icon name="moon" />
        <span>{texts.shell.theme}</span>
        <select value={theme} onChange={(event) => choose(event.target.value as Theme)}>
          {THEMES.map((each) => (
            <option key={each} value={each}>
              {texts.shell.themes[each]}
            </option>
          ))}
        </select>
      </label>
    </>
  )
}
