import { feature } from '../../kernel/call/feature.ts'
import { retry as again, dismiss, type RetryParts } from './handlers.ts'

/** Messages that failed: sent again as new ones, or dismissed. */
export const retry = feature('retry', (parts: RetryParts) => ({
  gives: {},
  handlers: {
    retry_message: (input, call) => again(input, call, parts),
    dismiss_failure: (input, call) => dismiss(input, call, parts),
  },
}))
