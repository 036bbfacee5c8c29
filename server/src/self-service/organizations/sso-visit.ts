/** A visit to the pages of single sign-on of an organization. */
import { Failure } from '../../errors.ts'
import type { AccountRoute, Requirement } from '../signed-in.ts'
import { type Handle, organizationForm, organizationPage, type Performs } from './visit.ts'

export const SSO_PATH = '/sso'

/** Where the system keeps single sign-on for itself and has set up none, there are no such pages. */
const ifAny =
  (handle: Handle): Handle =>
  (visit) => {
    if (!visit.organization.hasSso) throw new Failure('not_found')
    return handle(visit)
  }

export const ssoPage = (path: string, handle: Handle, requirement?: Requirement): AccountRoute =>
  organizationPage(`${SSO_PATH}${path}`, 'admin', ifAny(handle), requirement)

export const ssoForm = (path: string, performs: Performs, handle: Handle): AccountRoute =>
  organizationForm(`${SSO_PATH}${path}`, 'admin', performs, ifAny(handle))
