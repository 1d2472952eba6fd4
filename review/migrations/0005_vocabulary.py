from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('conversations', '0002_flagged'),
        ('identity', '0001_initial'),
        ('review', '0004_queue_index'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        # the same statuses in another order: the index itself stays
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RemoveIndex(
                    model_name='governanceitem',
                    name='review_item_expiry',
                ),
                migrations.AddIndex(
                    model_name='governanceitem',
                    index=models.Index(condition=models.Q(('expires_at__isnull', False), ('status__in', ['candidate', 'active', 'needs_review'])), fields=['expires_at'], name='review_item_expiry'),
                ),
            ],
        ),
        migrations.RemoveField(
            model_name='tombstone',
            name='reason',
        ),
        migrations.AlterField(
            model_name='governanceitem',
            name='reason',
            field=models.CharField(choices=[('user_channel', 'User Channel'), ('automation_review', 'Automation Review'), ('origin_unknown', 'Origin Unknown'), ('import_review', 'Import Review'), ('injection_flagged', 'Injection Flagged'), ('scanner_unavailable', 'Scanner Unavailable'), ('secret', 'Secret'), ('sensitive_review', 'Sensitive Review'), ('contradicts_active', 'Contradicts Active'), ('near_tombstone', 'Near Tombstone'), ('extractor_confident', 'Extractor Confident'), ('extractor_review', 'Extractor Review'), ('extractor_below_floor', 'Extractor Below Floor'), ('procedure_candidate', 'Procedure Candidate'), ('restated', 'Restated'), ('accepted', 'Accepted'), ('corrected', 'Corrected'), ('rejected', 'Rejected'), ('forgotten', 'Forgotten'), ('expired', 'Expired'), ('superseded', 'Superseded'), ('feedback_below_floor', 'Feedback Below Floor'), ('flagged', 'Flagged'), ('archive_approved', 'Archive Approved'), ('consolidated', 'Consolidated'), ('undone', 'Undone'), ('restored', 'Restored')], max_length=32),
        ),
        migrations.AlterField(
            model_name='journalentry',
            name='event',
            field=models.CharField(choices=[('created', 'Created'), ('transition', 'Transition'), ('edit', 'Edit'), ('merge', 'Merge'), ('import', 'Import'), ('feedback', 'Feedback'), ('archive_request', 'Archive Request'), ('purge', 'Purge'), ('sealed', 'Sealed'), ('reveal', 'Reveal')], max_length=16),
        ),
        migrations.AlterField(
            model_name='journalentry',
            name='reason',
            field=models.CharField(choices=[('user_channel', 'User Channel'), ('automation_review', 'Automation Review'), ('origin_unknown', 'Origin Unknown'), ('import_review', 'Import Review'), ('injection_flagged', 'Injection Flagged'), ('scanner_unavailable', 'Scanner Unavailable'), ('secret', 'Secret'), ('sensitive_review', 'Sensitive Review'), ('contradicts_active', 'Contradicts Active'), ('near_tombstone', 'Near Tombstone'), ('extractor_confident', 'Extractor Confident'), ('extractor_review', 'Extractor Review'), ('extractor_below_floor', 'Extractor Below Floor'), ('procedure_candidate', 'Procedure Candidate'), ('restated', 'Restated'), ('accepted', 'Accepted'), ('corrected', 'Corrected'), ('rejected', 'Rejected'), ('forgotten', 'Forgotten'), ('expired', 'Expired'), ('superseded', 'Superseded'), ('feedback_below_floor', 'Feedback Below Floor'), ('flagged', 'Flagged'), ('archive_approved', 'Archive Approved'), ('consolidated', 'Consolidated'), ('undone', 'Undone'), ('restored', 'Restored')], max_length=32),
        ),
        migrations.AddConstraint(
            model_name='governanceitem',
            constraint=models.CheckConstraint(condition=models.Q(('reason__in', ['user_channel', 'automation_review', 'origin_unknown', 'import_review', 'injection_flagged', 'scanner_unavailable', 'secret', 'sensitive_review', 'contradicts_active', 'near_tombstone', 'extractor_confident', 'extractor_review', 'extractor_below_floor', 'procedure_candidate', 'restated', 'accepted', 'corrected', 'rejected', 'forgotten', 'expired', 'superseded', 'feedback_below_floor', 'flagged', 'archive_approved', 'consolidated', 'undone', 'restored'])), name='review_governanceitem_reason'),
        ),
        migrations.AddConstraint(
            model_name='journalentry',
            constraint=models.CheckConstraint(condition=models.Q(('event__in', ['created', 'transition', 'edit', 'merge', 'import', 'feedback', 'archive_request', 'purge', 'sealed', 'reveal'])), name='review_journalentry_event'),
        ),
        migrations.AddConstraint(
            model_name='journalentry',
            constraint=models.CheckConstraint(condition=models.Q(('reason__in', ['user_channel', 'automation_review', 'origin_unknown', 'import_review', 'injection_flagged', 'scanner_unavailable', 'secret', 'sensitive_review', 'contradicts_active', 'near_tombstone', 'extractor_confident', 'extractor_review', 'extractor_below_floor', 'procedure_candidate', 'restated', 'accepted', 'corrected', 'rejected', 'forgotten', 'expired', 'superseded', 'feedback_below_floor', 'flagged', 'archive_approved', 'consolidated', 'undone', 'restored'])), name='review_journalentry_reason'),
        ),
    ]
