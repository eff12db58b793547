/** A conversation, and a turn that caused another one. */
interface ShownIds {
  readonly sessionId: string
  readonly turnId: string
}

/** A page of the dashboard, the words that show that it is whole, and its picture in the guide if it has one. */
export interface ShownPage {
  readonly picture?: string
  readonly path: string
  readonly shows: string | RegExp
}

export function shownPages({ sessionId, turnId }: ShownIds): readonly ShownPage[] {
  return [
    { picture: 'inbox', path: '/', shows: 'wants to run a command' },
    { picture: 'switchboard', path: '/switchboard', shows: /of 10 processes/ },
    { picture: 'conversation', path: `/conversations/${sessionId}`, shows: 'emptied by it' },
    { path: '/conversations', shows: 'docs' },
    { picture: 'traces', path: `/traces/${turnId}`, shows: 'Trace: you → docs' },
    { path: '/traces', shows: 'Write the notes of the release.' },
    { picture: 'permissions', path: '/permissions', shows: 'wants to run a command' },
    { picture: 'logs', path: '/logs', shows: 'Pause' },
    { picture: 'health', path: '/daemon', shows: 'Isolation of agents' },
    { picture: 'statistics', path: '/statistics', shows: 'Messages as a table' },
    { picture: 'configuration', path: '/configuration', shows: 'Review and save' },
    { path: '/insight', shows: 'Most expensive pairs' },
    { path: '/hosts', shows: 'No other machines connected' },
    { path: '/channels', shows: 'There are no channels.' },
    { path: '/chat', shows: 'New conversation' },
    { picture: 'debug', path: `/debug?session=${sessionId}`, shows: 'Launch command' },
  ]
}

/** The inbox on a telephone. */
export const phonePicture = 'phone'

/** The Insight page on the week of `iris demo --insight`. */
export const insightPicture = 'insight'

/** Pages that show nothing in a world without other hosts, channels and people in a browser. */
export const connectedPages: readonly ShownPage[] = [
  { path: '/hosts', shows: 'key has changed' },
  { path: '/channels', shows: 'Eve (77)' },
  { path: '/chat', shows: 'How does the cart round prices?' },
  { path: '/chat#frontend/prices', shows: 'I begin with the checkout.' },
]
