import { asking } from './asking.ts'
import { configuring } from './configuring.ts'
import { doing } from './doing.ts'
import { looking } from './looking.ts'
import { running } from './running.ts'
import type { CommandSpec } from './spec.ts'

/** Every command of `iris`: what is typed, its help, its completion and the page in docs/guide are made from it. */
export const commandTable: readonly CommandSpec[] = [...asking, ...looking, ...doing, ...configuring, ...running]

/** What commands of two words have in common. */
export const families: Readonly<Record<string, string>> = {
  teams: 'The teams that can be asked',
  cache: 'What is known of a conversation',
  config: 'The configuration, $IRIS_HOME/config.yaml',
  service: 'Iris as a service that starts with your session',
}
