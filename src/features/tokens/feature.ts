import { feature } from '../../kernel/call/feature.ts'
import { create, list, revoke, rotate, type TokenParts } from './handlers.ts'

/** Tokens of programs: each has a name, teams it may ask, and an end. They are kept in files, not in the store. */
export const tokens = feature('tokens', (parts: TokenParts) => ({
  gives: {},
  handlers: {
    create_token: (input, call) => create(input, call, parts),
    list_tokens: () => list(parts),
    rotate_token: (input, call) => rotate(input, call, parts),
    revoke_token: (input) => revoke(input, parts),
  },
}))
