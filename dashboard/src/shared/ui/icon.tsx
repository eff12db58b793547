/** Drawn for Iris, in a field of 20 by 20. */
const paths = {
  switchboard: 'M4 5a2 2 0 1 0 .01 0M16 5a2 2 0 1 0 .01 0M10 15a2 2 0 1 0 .01 0M6 7l8 0M5 9l4 6M15 9l-4 6',
  conversations: 'M3 4h11v7H8l-3 3v-3H3zM16 8h1v7h-2v3l-3-3H9',
  chat: 'M3 4h14v9H9l-4 4v-4H3z',
  channels: 'M4 10a6 6 0 0 1 12 0M7 10a3 3 0 0 1 6 0M10 10v7',
  hosts: 'M3 4h14v5H3zM3 11h14v5H3zM6 6.5h.01M6 13.5h.01',
  traces: 'M3 4h8v3H3zM7 9h7v3H7zM11 14h6v3h-6z',
  permissions: 'M10 2l6 2.5V10c0 4-2.6 6.6-6 8-3.4-1.4-6-4-6-8V4.5zM7.5 10l2 2 3.5-4',
  logs: 'M4 4h12M4 8h12M4 12h8M4 16h10',
  health: 'M2 11h4l2-6 4 11 2-5h4',
  statistics: 'M4 17V9M8 17V4M12 17v-6M16 17V7',
  insight: 'M7 13a5 5 0 1 1 6 0v2H7zM8 18h4',
  configuration: 'M3 6h8M15 6h2M13 4v4M3 14h2M9 14h8M7 12v4',
  debug: 'M7 4l-5 6 5 6M13 4l5 6-5 6',
  menu: 'M3 5h14M3 10h14M3 15h14',
  close: 'M5 5l10 10M15 5L5 15',
  more: 'M5 10a1 1 0 1 0 .01 0M10 10a1 1 0 1 0 .01 0M15 10a1 1 0 1 0 .01 0',
  copy: 'M7 7h9v9H7zM4 13V4h9',
  check: 'M4 10.5l4 4 8-9',
  down: 'M5 8l5 5 5-5',
  right: 'M8 5l5 5-5 5',
  search: 'M9 4a5 5 0 1 0 .01 0M13 13l4 4',
  send: 'M3 10l14-6-5 13-3-6z',
  sun: 'M10 6.5a3.5 3.5 0 1 0 .01 0M10 2v2M10 16v2M2 10h2M16 10h2M4.5 4.5l1.4 1.4M14.1 14.1l1.4 1.4M4.5 15.5l1.4-1.4M14.1 5.9l1.4-1.4',
  moon: 'M16 12a7 7 0 1 1-8-8 5.5 5.5 0 0 0 8 8z',
  pause: 'M7 4v12M13 4v12',
  play: 'M6 4l10 6-10 6z',
  download: 'M10 3v10M6 9l4 4 4-4M4 17h12',
  warning: 'M10 3l8 14H2zM10 8v4M10 14.5v.5',
  stop: 'M5 5h10v10H5z',
  retry: 'M15 6a6 6 0 1 0 1 6M15 2v4h-4',
  attach: 'M14 6l-6.5 6.5a1.8 1.8 0 0 0 2.5 2.5l6.5-6.5a3.5 3.5 0 0 0-5-5L5 10a5 5 0 0 0 7 7l5-5',
  inbox: 'M3 11l3-7h8l3 7v5H3zM3 11h4l1.5 2.5h3L13 11h4',
} as const

export type IconName = keyof typeof paths

/** Use it beside words or in a labelled button, because screen readers skip it. */
export function Icon({ name, className = 'size-5' }: { readonly name: IconName; readonly className?: string }) {
  return (
    <svg
      viewBox="0 0 20 20"
      className={className}
      aria-hidden="true"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
    >
      <path d={paths[name]} strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  )
}
