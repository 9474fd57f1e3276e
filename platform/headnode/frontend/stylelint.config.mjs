export default {
  extends: "stylelint-config-recommended",
  rules: {
    // Rules stand by part of the page; which of two selectors weighs more says nothing about that order.
    "no-descending-specificity": null,
  },
  overrides: [
    // Sheets of paper have properties that no screen has.
    { files: ["**/print.css"], rules: { "declaration-property-value-no-unknown": null } },
  ],
};
