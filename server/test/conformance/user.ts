/** What the user does with the pages that a module opens: signs in, consents, signs out, takes pictures. */
import type { Page } from 'playwright-core'
import { MEMBER, PASSWORD, REFUSING, SUITE } from './plans.ts'
import type { Demand, Suite, Visit } from './suite.ts'

/** Modules in which the user behaves differently. The suite describes it in their summary only. */
const REFUSES = /-user-rejects-authentication$/
const LEAVES_FIRST_PAGE = /-reused-request-uri-prior-to-auth-completion-succeeds$/
/** No module has more pages in a row. */
const PAGES_MAX = 8

export function newUser(suite: Suite, page: Page, module: { id: string; name: string }) {
  const { id, name } = module
  const email = REFUSES.test(name) ? REFUSING : MEMBER
  const pictures: { png: Buffer; demand: string }[] = []
  let visits = 0

  async function takePicture(demand: Demand): Promise<void> {
    const png = await page.screenshot({ fullPage: true })
    await suite.upload(id, demand, png)
    pictures.push({ png, demand: demand.text })
  }

  const click = async (selector: string) => {
    await page.locator(selector).click()
    await page.waitForLoadState()
  }
  const shows = (selector: string) => page.locator(selector).isVisible()

  /** Returns whether the user continues on the next page. */
  async function usePage(demand: Demand | undefined): Promise<boolean> {
    if (await shows('[name=password]')) {
      if (demand && /login for a second time/.test(demand.text)) await takePicture(demand)
      if (LEAVES_FIRST_PAGE.test(name) && visits === 1) return false
      await page.locator('[name=email]').fill(email)
      await page.locator('[name=password]').fill(PASSWORD)
      await click('#submit')
      return true
    }
    if (await shows('#deny')) {
      await click(REFUSES.test(name) ? '#deny' : '#submit')
      return true
    }
    // A module that sends an invalid logout request wants to see the question, and no logout.
    if ((await shows('#logout-confirm')) && (!demand || /must log the user out/.test(demand.text))) {
      await click('#logout-confirm')
      return true
    }
    if (demand) await takePicture(demand)
    return false
  }

  return {
    pictures,
    /** Marks the address first: a module refuses a callback that arrives before. */
    async visit({ url, method }: Visit): Promise<void> {
      visits += 1
      await suite.markVisited(id, url)
      if (method === 'POST') await postTo(page, url)
      else await page.goto(url)
      for (let pages = 0; pages < PAGES_MAX; pages += 1) {
        if (page.url().startsWith(SUITE)) return isSubmitted(page)
        if (!(await usePage(await suite.demand(id)))) return
      }
      throw new Error(`${name}: more than ${PAGES_MAX} pages, the last is ${page.url()}`)
    },
  }
}

/** Sends the query of the address as a form. */
async function postTo(page: Page, address: string): Promise<void> {
  const { origin, pathname, searchParams } = new URL(address)
  await page.goto('about:blank')
  await page.evaluate(
    ({ action, fields }) => {
      const form = document.createElement('form')
      Object.assign(form, { action, method: 'post' })
      for (const [name, value] of fields)
        form.append(Object.assign(document.createElement('input'), { name, value }))
      document.body.append(form)
      form.submit()
    },
    { action: origin + pathname, fields: [...searchParams] },
  )
  await page.waitForURL((url) => url.protocol === 'https:')
}

/** The page of the suite that receives a callback sends it on by a script, which then adds the element. */
async function isSubmitted(page: Page): Promise<void> {
  if ((await page.content()).includes('submission_complete'))
    await page.locator('#submission_complete').waitFor({ state: 'attached' })
}
