import type { Config } from '../config/config.ts'
import { installationName } from '../config/installation-name.ts'
import { type Application, footLinksOf, type Way, wayOnHref } from '../resources/systems/application.ts'
import type { SystemLook } from './layout.ts'

/**
 * An application as its pages show it, with the way on from an end of a flow: each page has both from here.
 * Without an application the page has the name of the installation.
 */
export const lookOf = (config: Config, application: Application | undefined, way: Way = {}): SystemLook =>
  application
    ? {
        name: application.name,
        ...application.branding,
        links: footLinksOf(config, application),
        next: wayOnHref(config, application, way),
      }
    : { name: installationName(config) }

/** What a client that draws its own pages gets of an application. */
export const brandJson = ({ name, logoUrl, logoDarkUrl, faviconUrl, color }: SystemLook) => ({
  name,
  ...(logoUrl !== undefined && { logoUrl }),
  ...(logoDarkUrl !== undefined && { logoDarkUrl }),
  ...(faviconUrl !== undefined && { faviconUrl }),
  ...(color !== undefined && { color }),
})
