import type { Texts } from '../texts.ts'

export const live: Texts['live'] = {
  title: 'Live-Ereignisse',
  lead: 'Was jetzt geschieht: Änderungen, Anmeldungen und Ablehnungen, die neuesten zuerst. Auf dieser Seite wird nichts gespeichert.',
  pause: 'Anhalten',
  resume: { one: 'Fortsetzen ({count} neu)', other: 'Fortsetzen ({count} neu)' },
  clear: 'Leeren',
  download: 'Als JSON herunterladen',
  onlyFailures: 'Nur Ablehnungen',
  open: 'Verbunden',
  lost: 'Verbindung wird hergestellt…',
  rate: { one: '{count} in der letzten Minute', other: '{count} in der letzten Minute' },
  none: 'Warten auf Ereignisse',
  noneLead:
    'Melden Sie sich bei einer Anwendung an oder ändern Sie etwas in einem anderen Tab: Es erscheint hier nach wenigen Sekunden.',
  time: 'Zeit',
  type: 'Was',
  who: 'Wer',
}
