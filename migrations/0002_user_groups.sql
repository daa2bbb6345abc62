-- User groups: what their own operations need beyond the foundation.

-- The eight system groups are asked for by nearly every change; without this they would be
-- searched among all groups, nameless ones included.
CREATE INDEX user_groups_of_system ON user_groups (realm_id) WHERE is_system_group = 1;
