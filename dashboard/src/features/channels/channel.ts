import type { Output } from '../../shared/api/operations.ts'

/** A channel of config.yaml, as Iris lists it. */
export type Channel = Output<'list_channels'>['channels'][number]
