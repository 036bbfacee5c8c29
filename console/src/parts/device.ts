const BROWSERS: [RegExp, string][] = [
  [/Edg(e|A|iOS)?\//, 'Edge'],
  [/OPR\/|Opera/, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]

const SYSTEMS: [RegExp, string][] = [
  [/iPhone|iPod/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/CrOS/, 'ChromeOS'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/Linux/, 'Linux'],
]

const found = (pairs: [RegExp, string][], text: string) => pairs.find(([pattern]) => pattern.test(text))?.[1]

/** A browser and its operating system by the header User-Agent: "Firefox, Linux". */
export function deviceOf(userAgent: string | null): string | undefined {
  if (!userAgent) return undefined
  const known = [found(BROWSERS, userAgent), found(SYSTEMS, userAgent)].filter(Boolean)
  return known.length > 0 ? known.join(', ') : userAgent.split(/[\s/(]/)[0]
}
