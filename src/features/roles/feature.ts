import { feature } from '../../kernel/call/feature.ts'
import { roleInstructions } from './instructions.ts'

/** Roles limit what a turn may use. This feature adds what a process must know about its role when it starts. */
export const roles = feature('roles', () => ({ gives: {}, seams: { roles: { instructions: roleInstructions } } }))
