export const everies = ['hour', 'day', 'weekday', 'week'] as const
/** How often a scheduled message is sent. */
export type Every = (typeof everies)[number]
