import { z } from 'zod';
import { Pagination, anyObject, text } from '../schema-parts.ts';

export const OrganizationUser = z.looseObject({
  id: text,
  email: text,
  createdAt: text,
  metadata: anyObject.nullish(),
  firstName: text,
  lastName: text,
  lastSignInAt: text,
});
export type OrganizationUser = z.infer<typeof OrganizationUser>;

export const UserList = z.looseObject({
  users: z.array(OrganizationUser),
  pagination: Pagination,
});
