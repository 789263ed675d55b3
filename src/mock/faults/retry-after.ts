export const RETRY_AFTER_FORMS = [
  'seconds',
  'imf-date',
  'rfc850-date',
  'asctime-date',
  'milliseconds',
  'rate-limit-reset',
] as const;

/** How a service may say when to come back; other values are set through `headers`. */
export type RetryAfterForm = (typeof RETRY_AFTER_FORMS)[number];

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/**
 * The header that asks to wait: one of the three dates of RFC 9110, section 5.6.7, delta seconds, or one of two headers
 * in common use beside it.
 *
 * @param now the service's clock, Unix ms
 */
export function retryAfterHeader(
  form: RetryAfterForm,
  seconds: number,
  now: number,
): Readonly<Record<string, string>> {
  const at = new Date(now + seconds * 1_000);
  const date = at.toUTCString();
  const [, day = '', month = '', year = '', time = ''] = date.split(' ');
  switch (form) {
    case 'seconds':
      return { 'retry-after': String(seconds) };
    case 'imf-date':
      return { 'retry-after': date };
    case 'rfc850-date': {
      const weekday = WEEKDAYS[at.getUTCDay()] ?? '';
      return { 'retry-after': `${weekday}, ${day}-${month}-${year.slice(2)} ${time} GMT` };
    }
    case 'asctime-date': {
      const padded = String(Number(day)).padStart(2, ' ');
      return { 'retry-after': `${date.slice(0, 3)} ${month} ${padded} ${time} ${year}` };
    }
    case 'milliseconds':
      return { 'retry-after-ms': String(seconds * 1_000) };
    case 'rate-limit-reset':
      return { 'ratelimit-reset': String(seconds) };
  }
}
