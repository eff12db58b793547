const hues = 12

/** A team in its colour: the configured one, else one made from its name. */
export function teamColor(name: string, configured?: string): string {
  if (configured !== undefined) return configured
  let sum = 0
  for (const char of name) sum = (sum * 31 + char.charCodeAt(0)) >>> 0
  return `hsl(${(sum % hues) * (360 / hues)} 55% 50%)`
}

export function TeamName({ name, color }: { readonly name: string; readonly color?: string | undefined }) {
  return (
    <span className="inline-flex min-w-0 items-center gap-1.5">
      <span className="size-2.5 shrink-0 rounded-full" style={{ background: teamColor(name, color) }} />
      <span className="truncate">{name}</span>
    </span>
  )
}
