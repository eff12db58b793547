import { clsx } from 'clsx'

/** The look of a field for typing or choosing. */
export const fieldLook = 'border-line bg-panel min-h-8 rounded-md border px-2 py-1'

interface SearchFieldProps {
  /** What is searched, in words: "Find in names, threads and ids". */
  readonly label: string
  readonly placeholder: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly className?: string
}

export function SearchField({ label, placeholder, value, onChange, className }: SearchFieldProps) {
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={placeholder}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      className={clsx(fieldLook, className)}
    />
  )
}
