/** What a route answers: a status and a JSON body, or a refusal whose body depends on the family of the route. */
export type Answer = Success | Refusal;

export interface Success {
  readonly isRefusal: false;
  readonly status: number;
  readonly body: unknown;
}

export interface Refusal {
  readonly isRefusal: true;
  readonly status: number;
  readonly detail: string;
}

export function ok(body: unknown, status = 200): Success {
  return { isRefusal: false, status, body };
}

export function refuse(status: number, detail: string): Refusal {
  return { isRefusal: true, status, detail };
}
