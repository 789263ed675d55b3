import { z } from 'zod';
import { shortText, textParameter } from '../checks.ts';

const computerId = textParameter.describe('Id of the computer');

export const ListComputersParameters = z.strictObject({});
export const ComputerParameters = z.strictObject({ computerId });
export const ComputerNameParameters = z.strictObject({
  name: shortText.describe('Name of the computer, 1 to 63 characters'),
});
export const UpdateComputerParameters = z
  .strictObject({
    computerId,
    name: shortText.optional().describe('New name, 1 to 63 characters'),
    hostId: z.guid('expected a UUID').optional().describe('UUID of the host'),
    remoteUser: shortText.optional().describe('User on the computer, 1 to 63 characters'),
  })
  .refine(
    ({ name, hostId, remoteUser }) => (name ?? hostId ?? remoteUser) !== undefined,
    'expected name, hostId or remoteUser',
  );
