/** A database that is away is never a verdict on a token or a person. */
import { errors } from 'oidc-provider'
import { currentTransaction } from '../../database/transaction.ts'
import { failureOf } from '../../errors.ts'

/**
 * Around everything of ours that the protocol library calls: a database fault becomes the protocol's own "try again"
 * (RFC 6749 section 4.1.2.1) and dooms the request's transaction.
 */
export function guardFaults<Args extends unknown[], Result>(work: (...args: Args) => Promise<Result>) {
  return async (...args: Args): Promise<Result> => {
    try {
      return await work(...args)
    } catch (error) {
      if (failureOf(error)?.code !== 'unavailable') throw error
      currentTransaction()?.fail(error)
      const unavailable = new errors.TemporarilyUnavailable(
        'the service can not answer at the moment, try again soon',
      )
      throw Object.assign(unavailable, { status: 503, statusCode: 503, cause: error })
    }
  }
}
