/** Elements are cloned from the `<template>`s of the page, so that their words were translated by the server. */

/** A new copy of the one element in `<template id="template-NAME">`. */
export function clone(name) {
  const template = document.getElementById(`template-${name}`);
  return document.importNode(template.content, true).firstElementChild;
}

/** The elements inside `element` that carry `data-part`, by its name. Take it before anything is put inside. */
export function partsOf(element) {
  const parts = {};
  for (const part of element.querySelectorAll("[data-part]")) parts[part.dataset.part] ??= part;
  return parts;
}
