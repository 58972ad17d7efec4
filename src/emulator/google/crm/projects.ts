import { holds, isHidden, requirePermission, requireProject } from '../access.ts';
import { invalidArgument } from '../wire/errors.ts';
import type { Json, JsonObject } from '../wire/json.ts';
import { compareText } from '../wire/paging.ts';
import { parameter } from '../wire/query-parameters.ts';
import { type Call, param } from '../wire/route.ts';
import { type FieldReader, parseSearchQuery } from '../wire/search-query.ts';
import type { Project } from '../world/state.ts';
import { crmPage, displayOrder, isSearchable, pagingOf, requireParentParameter } from './collection.ts';

export const GET_PROJECT = 'resourcemanager.projects.get';

export function projectV3(project: Project): JsonObject {
  const { name, parent, projectId, state, displayName, createTime, updateTime, deleteTime, etag, labels } = project;
  const shownLabels = Object.keys(labels).length > 0 ? { labels } : {};
  return { name, parent, projectId, state, displayName, createTime, updateTime, deleteTime, etag, ...shownLabels };
}

/** Ids of old projects carry a domain, so the shape on reads is wider than what a create accepts. */
function checkIdOrNumber(id: string): string {
  if (!/^[a-z0-9][a-z0-9.:-]*$/.test(id)) throw invalidArgument();
  return id;
}

export function getProject(call: Call): Json {
  return projectV3(requireProject(call, checkIdOrNumber(param(call, 'project')), GET_PROJECT));
}

/** Direct children, strongly consistent. */
export function listProjects(call: Call): Json {
  const parent = requireParentParameter(call);
  requirePermission(call, parent, 'resourcemanager.projects.list');
  const showDeleted = parameter(call.query, 'showDeleted') === 'true';
  const projects = call.world
    .childProjects(parent)
    .filter(
      (project) => (showDeleted || project.state === 'ACTIVE') && !isHidden(call.world, call.principal, project.name),
    )
    .sort((left, right) => compareText(displayOrder(left), displayOrder(right)));
  return crmPage(call, projects, {
    member: 'projects',
    keyOf: displayOrder,
    toJson: projectV3,
    scope: ['list', parent, String(showDeleted)],
    ...pagingOf(call),
  });
}

/** The fields that a query of either version may name. */
function projectFields(project: Project): FieldReader {
  const [parentType = '', parentId = ''] = (project.parent ?? '').split('/');
  return (field) => {
    if (field.startsWith('labels.')) {
      const value = project.labels[field.slice('labels.'.length)];
      return value === undefined ? [] : [value];
    }
    switch (field) {
      case 'displayName':
      case 'name':
        return [project.displayName];
      case 'parent':
        return project.parent === undefined ? [] : [project.parent];
      case 'parent.type':
        return parentType === '' ? [] : [parentType.replace(/s$/, '')];
      case 'parent.id':
        return parentId === '' ? [] : [parentId];
      case 'id':
      case 'projectId':
        return [project.projectId];
      case 'projectNumber':
        return [project.name.slice('projects/'.length)];
      case 'state':
      case 'lifecycleState':
        return [project.state];
      case 'labels':
        return Object.keys(project.labels);
      default:
        return undefined;
    }
  };
}

/** What a search or a version 1 list finds, by number; terms beside each other are any-of in v3, all-of in v1. */
export function findProjects(call: Call, query: string, implicit: 'AND' | 'OR'): readonly Project[] {
  const matches = parseSearchQuery(query, implicit);
  return Object.values(call.world.state.projects)
    .filter(
      (project) => holds(call.world, call.principal, project.name, GET_PROJECT) && matches(projectFields(project)),
    )
    .filter((project) => isSearchable(call, project))
    .sort((left, right) => compareText(left.name, right.name));
}

export function searchProjects(call: Call): Json {
  const query = parameter(call.query, 'query') ?? '';
  return crmPage(call, findProjects(call, query, 'OR'), {
    member: 'projects',
    keyOf: (project) => project.name,
    toJson: projectV3,
    scope: ['search', query],
    ...pagingOf(call),
  });
}
